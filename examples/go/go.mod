module example/moot

go 1.21
