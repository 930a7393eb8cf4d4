package main

import (
	"fmt"
	"sort"
	"strings"
)

//go:noinline
func parse(text string) int {
	sum := 0
	for round := 0; round < 200; round++ {
		for _, word := range strings.Fields(text) {
			sum += len(word)
		}
	}
	return sum
}

//go:noinline
func rank(size int) int {
	values := make([]int, size)
	for at := range values {
		values[at] = (at * 7919) % size
	}
	sort.Ints(values)
	return values[0]
}

func main() {
	text := strings.Repeat("one two three ", 200)
	sum := 0
	for round := 0; round < 120; round++ {
		sum += parse(text) + rank(20000)
	}
	fmt.Println(sum)
}
