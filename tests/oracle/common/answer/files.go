package answer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Directory is where the files of one cluster are.
type Directory string

func (d Directory) Cluster() string { return filepath.Join(string(d), "cluster.json") }

// Policy is the classic rules' configuration, Config today's.
func (d Directory) Policy() string { return filepath.Join(string(d), "policy.json") }
func (d Directory) Config() string { return filepath.Join(string(d), "config.json") }

// Pods and Gates need not be there.
func (d Directory) Pods() string  { return filepath.Join(string(d), "pods.json") }
func (d Directory) Gates() string { return filepath.Join(string(d), "gates.json") }

// ReadGates returns no gates where the file is missing.
func (d Directory) ReadGates() (map[string]bool, error) {
	text, err := os.ReadFile(d.Gates())
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var gates map[string]bool
	if err := json.Unmarshal(text, &gates); err != nil {
		return nil, fmt.Errorf("%s: %v", d.Gates(), err)
	}
	return gates, nil
}

// WriteStored makes DIR/stored.json: the cluster's nodes, and the pods that are asked about in their order, as an API server
// hands them out. over_http.py sends them.
func (d Directory) WriteStored(nodes, pods interface{}) error {
	text, err := json.Marshal(map[string]interface{}{"nodes": nodes, "pods": pods})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(string(d), "stored.json"), text, 0o644)
}

// EachItem reads a v1 List an item at a time, so that a large one is never in memory as text.
func EachItem(path string, visit func(kind, apiVersion string, item []byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	in := json.NewDecoder(bufio.NewReaderSize(file, 1<<16))
	if err := eachItem(in, visit); err != nil {
		return fmt.Errorf("%s: %v", path, err)
	}
	return nil
}

func eachItem(in *json.Decoder, visit func(kind, apiVersion string, item []byte) error) error {
	if start, err := in.Token(); err != nil || start != json.Delim('{') {
		return fmt.Errorf("not an object (%v)", err)
	}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return err
		}
		if key != "items" {
			var ignored json.RawMessage
			if err := in.Decode(&ignored); err != nil {
				return err
			}
			continue
		}
		if err := eachElement(in, visit); err != nil {
			return err
		}
	}
	return nil
}

func eachElement(in *json.Decoder, visit func(kind, apiVersion string, item []byte) error) error {
	if start, err := in.Token(); err != nil || start != json.Delim('[') {
		return fmt.Errorf("items: not a list (%v)", err)
	}
	var item json.RawMessage
	for i := 0; in.More(); i++ {
		if err := in.Decode(&item); err != nil {
			return fmt.Errorf("items[%d]: %v", i, err)
		}
		var meta struct{ Kind, APIVersion string }
		if err := json.Unmarshal(item, &meta); err != nil {
			return fmt.Errorf("items[%d]: %v", i, err)
		}
		if err := visit(meta.Kind, meta.APIVersion, item); err != nil {
			return fmt.Errorf("items[%d]: %v", i, err)
		}
	}
	_, err := in.Token()
	return err
}

// Writer writes a file of the directory, a line for each pod.
type Writer struct {
	file    *os.File
	buffer  *bufio.Writer
	encoder *json.Encoder
}

// NewWriter makes DIR/upstream.json.
func (d Directory) NewWriter() (*Writer, error) { return d.newWriter("upstream.json") }

// WritePreemptions makes DIR/upstream-preempt.json of what preempt says of each pod, by the pod's number.
func (d Directory) WritePreemptions(pods int, preempt func(pod int) *Preemption) error {
	out, err := d.newWriter("upstream-preempt.json")
	if err != nil {
		return err
	}
	for pod := 0; pod < pods; pod++ {
		if err := out.encoder.Encode(preempt(pod)); err != nil {
			return err
		}
	}
	return out.Close()
}

func (d Directory) newWriter(name string) (*Writer, error) {
	file, err := os.Create(filepath.Join(string(d), name))
	if err != nil {
		return nil, err
	}
	buffer := bufio.NewWriter(file)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	return &Writer{file, buffer, encoder}, nil
}

func (w *Writer) Write(e *Explanation) error { return w.encoder.Encode(e) }

func (w *Writer) Close() error {
	if err := w.buffer.Flush(); err != nil {
		return err
	}
	return w.file.Close()
}
