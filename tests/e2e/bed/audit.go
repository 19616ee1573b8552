package bed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Of the audit log only what Winnow's user asked is kept, without bodies.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: Metadata
  users: ["` + Winnow + `"]
- level: None
`

// AuditLog is the server's log of Winnow's requests.
func (s *APIServer) AuditLog() string {
	return filepath.Join(s.bed.folder, fmt.Sprintf("audit-%d.log", s.number))
}

// Asked is one of Winnow's requests as the API server has seen it.
type Asked struct {
	AuditID          string // No other request has it.
	Verb, RequestURI string
	ObjectRef        struct{ Name, UID, Subresource string }
	ResponseStatus   struct{ Code int }
}

// Audit gives all of Winnow's requests that have ended, of all servers.
func (b *Bed) Audit() (all []Asked, err error) {
	for _, server := range b.Servers {
		text, err := os.ReadFile(server.AuditLog())
		if err != nil {
			return nil, err
		}
		lines := bytes.Split(text, []byte("\n"))
		for _, line := range lines[:len(lines)-1] { // The last one is empty, or being written.
			var asked Asked
			if err := json.Unmarshal(line, &asked); err != nil {
				return nil, fmt.Errorf("%s: %w: %s", server.AuditLog(), err, line)
			}
			all = append(all, asked)
		}
	}
	return all, nil
}
