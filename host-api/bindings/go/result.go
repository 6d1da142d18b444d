package wtool

import (
	"encoding/json"
	"strings"
)

// Result is the answer of a tool. docs/guide/results.md lists the keys of Metadata and the error codes.
type Result struct {
	IsError   bool
	Cancelled bool
	Text      string // for people and models
	Metadata  map[string]any

	Stdout    string // the output, or what came before the command was ended; at most output.bytes of it, see Truncated
	Stderr    string
	Truncated bool // Stdout or Stderr was longer than output.bytes of the configuration, and a line in it says how much was left out
	ExitCode  int  // -1 if the command did not end by itself, or did not run

	ErrorCode string // such as "exit_nonzero" or "timed_out"; empty where IsError is false
	Message   string
	Hint      string // what to do about the error; may be empty
}

// CommandError is the error of Result.Err.
type CommandError struct{ Result *Result }

func (e *CommandError) Error() string {
	return strings.TrimSpace(e.Result.Message + " " + e.Result.Hint)
}

// Err returns a *CommandError if the result is an error, else nil.
func (r *Result) Err() error {
	if !r.IsError {
		return nil
	}
	return &CommandError{r}
}

// readResult returns nil if the text is not a result.
func readResult(text string, cancelled bool) *Result {
	var answer struct {
		IsError  *bool                   `json:"is_error"`
		Content  []struct{ Text string } `json:"content"`
		Metadata map[string]any          `json:"metadata"`
	}
	if json.Unmarshal([]byte(text), &answer) != nil || answer.IsError == nil {
		return nil
	}
	result := &Result{IsError: *answer.IsError, Cancelled: cancelled, Metadata: answer.Metadata, ExitCode: -1}
	var texts []string
	for _, part := range answer.Content {
		texts = append(texts, part.Text)
	}
	result.Text = strings.Join(texts, "\n")
	result.Stdout = result.output("stdout", "partial_stdout")
	result.Stderr = result.output("stderr", "partial_stderr")
	result.Truncated = result.Metadata["stdout_truncated"] == true || result.Metadata["stderr_truncated"] == true
	if code, there := result.Metadata["exit_code"].(float64); there {
		result.ExitCode = int(code)
	}
	if failure, there := result.Metadata["error"].(map[string]any); there {
		result.ErrorCode, _ = failure["code"].(string)
		result.Message, _ = failure["message"].(string)
		result.Hint, _ = failure["hint"].(string)
	}
	return result
}

func (r *Result) output(whole, partial string) string {
	if text, there := r.Metadata[whole].(string); there {
		return text
	}
	text, _ := r.Metadata[partial].(string)
	return text
}
