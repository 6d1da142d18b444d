package main

import "context"
import "fmt"
import "time"
import "wtool"

func main() {
	plugin, err := wtool.Find()
	if err == nil {
		result, _ := plugin.Run(context.Background(), "sleep 600 & setsid sleep 600 & echo started; sleep 600", wtool.Options{Timeout: time.Second})
		fmt.Print(result.ErrorCode, "\n", result.Stdout) // timed_out, started; all three are dead now, the one in a session of its own too
	}
}
