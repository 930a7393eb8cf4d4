// A program of one hot function with calls that the compiler inlines into it, and a method.
package main

import (
	"fmt"
	"os"
)

type grid struct{ cells [256]uint64 }

// Inlined into mix.
func scramble(x uint64) uint64 {
	return x*0x9e3779b97f4a7c15 ^ x>>29
}

// Inlined into churn, with what it calls.
func mix(x, y uint64) uint64 {
	return scramble(x) + scramble(y^x)
}

//go:noinline
func (g *grid) churn(n int) uint64 {
	var sum uint64
	for i := 0; i < n; i++ {
		sum = mix(sum, g.cells[i&255]+uint64(i))
	}
	return sum
}

func main() {
	rounds := 6000
	if len(os.Args) > 1 {
		fmt.Sscan(os.Args[1], &rounds)
	}
	g := &grid{}
	var sum uint64
	for i := 0; i < rounds; i++ {
		sum += g.churn(100000)
	}
	fmt.Println(sum != 1)
}
