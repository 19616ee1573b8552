package bed

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// Prometheus is a running Prometheus, of the machine's own package.
type Prometheus struct {
	*Process
	URL string
}

// Sample is one series of a query's answer.
type Sample struct {
	Labels map[string]string
	Value  float64
}

// Rules is a group of rules as Prometheus has it.
type Rules struct {
	Name           string
	LastEvaluation time.Time
	Rules          []struct{ Name, Health, LastError string }
}

// StartPrometheus has it scrape the /metrics of each URL under the name of its job, once a second, and evaluate a file of
// rules as often. It returns when Prometheus is ready. It begins without data.
func (b *Bed) StartPrometheus(rules string, jobs map[string]string) (*Prometheus, error) {
	data := filepath.Join(b.folder, "prometheus")
	if err := os.RemoveAll(data); err != nil {
		return nil, err
	}
	config, err := prometheusConfig(rules, jobs)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(b.folder, "prometheus.yaml")
	if err := os.WriteFile(path, config, 0o644); err != nil {
		return nil, err
	}
	address := fmt.Sprintf("127.0.0.1:%d", freePort())
	p := &Prometheus{URL: "http://" + address}
	p.Process, err = startProcess(b.folder, b.Story+"prometheus", "prometheus", "--config.file="+path,
		"--storage.tsdb.path="+data, "--web.listen-address="+address, "--log.level=warn")
	if err != nil {
		return nil, fmt.Errorf("%w (Debian's package prometheus has it)", err)
	}
	return p, waitReady(p.Process, p.URL+"/-/ready")
}

func prometheusConfig(rules string, jobs map[string]string) ([]byte, error) {
	rules, err := filepath.Abs(rules) // A relative path would begin where the configuration is.
	if err != nil {
		return nil, err
	}
	var scraped []any
	for job, at := range jobs {
		scheme, address, _ := strings.Cut(at, "://")
		scraped = append(scraped, map[string]any{"job_name": job, "scheme": scheme,
			"tls_config":     map[string]any{"insecure_skip_verify": true}, // As for the bed's own probes.
			"static_configs": []any{map[string]any{"targets": []string{address}}}})
	}
	return yaml.Marshal(map[string]any{
		"global":         map[string]any{"scrape_interval": "1s", "evaluation_interval": "1s"},
		"rule_files":     []string{rules},
		"scrape_configs": scraped,
	})
}

// Query gives what an expression is now.
func (p *Prometheus) Query(expression string) (samples []Sample, err error) {
	var answer struct {
		Result []struct {
			Metric map[string]string
			Value  []any // When, and the number as text.
		}
	}
	if err := p.ask("/api/v1/query?query="+url.QueryEscape(expression), &answer); err != nil {
		return nil, fmt.Errorf("%s: %w", expression, err)
	}
	for _, series := range answer.Result {
		number, err := strconv.ParseFloat(fmt.Sprint(series.Value[len(series.Value)-1]), 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", expression, err)
		}
		samples = append(samples, Sample{series.Metric, number})
	}
	return samples, nil
}

// Groups are all groups of rules.
func (p *Prometheus) Groups() ([]Rules, error) {
	answer := struct{ Groups []Rules }{}
	err := p.ask("/api/v1/rules", &answer)
	return answer.Groups, err
}

// ask fills in the data of an answer.
func (p *Prometheus) ask(path string, data any) error {
	code, text, err := Get(p.URL + path)
	if err != nil {
		return err
	}
	if code != http.StatusOK {
		return fmt.Errorf("prometheus answers %d: %s", code, text)
	}
	return json.Unmarshal([]byte(text), &struct{ Data any }{data})
}
