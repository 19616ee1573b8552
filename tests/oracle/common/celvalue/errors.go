package celvalue

import (
	"strings"

	"github.com/google/cel-go/common"
)

// FirstOf is the first error by place. Of a text that the parser gave up, the parser's: a macro may also complain about what was left.
func FirstOf(errors []*common.Error) *common.Error {
	first := errors[0]
	for _, other := range errors[1:] {
		if isBefore(other, first) {
			first = other
		}
	}
	return first
}

func isBefore(a, b *common.Error) bool {
	switch {
	case isSyntax(a) != isSyntax(b):
		return isSyntax(a)
	case a.Location.Line() != b.Location.Line():
		return a.Location.Line() < b.Location.Line()
	}
	return a.Location.Column() < b.Location.Column()
}

func isSyntax(err *common.Error) bool { return strings.HasPrefix(err.Message, "Syntax error") }
