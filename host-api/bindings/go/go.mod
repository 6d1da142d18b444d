module wtool

go 1.19
