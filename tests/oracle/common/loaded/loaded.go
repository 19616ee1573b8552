// Package loaded says of KubeSchedulerConfiguration files what kube-scheduler says of them, of v1.22 and later. A program
// links it with the release that it asks.
package loaded

import (
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	upstream "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"winnow.test/oracle/common/answer"
)

// Loader does with a file what kube-scheduler does before it listens: its options' ApplyTo, then scheduler.New.
type Loader struct {
	Load func(file string) (*config.KubeSchedulerConfiguration, error)
	New  func(*config.KubeSchedulerConfiguration) (s *upstream.Scheduler, end func(), err error)
	As   schema.GroupVersion // Which writes the arguments; none: they are not printed.
}

func (l Loader) Check(file string) answer.Checked {
	c, err := l.Load(file)
	if err != nil {
		return answer.Refused(file, "load", err)
	}
	if err := validation.ValidateKubeSchedulerConfiguration(c); err != nil {
		return answer.Refused(file, "validate", err)
	}
	s, end, err := l.New(c)
	if err != nil {
		return answer.Refused(file, "new", err)
	}
	defer end()
	result := answer.Checked{File: file, Accepted: true}
	for _, p := range c.Profiles { // In the file's order.
		one := profile(p.SchedulerName, s.Profiles[p.SchedulerName].ListPlugins())
		if !l.As.Empty() {
			if one.Arguments, err = arguments(p.PluginConfig, l.As); err != nil {
				return answer.Refused(file, "print", err)
			}
		}
		result.Profiles = append(result.Profiles, one)
	}
	return result
}

// Load asks upstream's decoder, which fills in the defaults, as kube-scheduler's options do.
func Load(file string) (*config.KubeSchedulerConfiguration, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Decode(text)
}

// Decode is Load of a text.
func Decode(text []byte) (*config.KubeSchedulerConfiguration, error) {
	object, kind, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	c, ok := object.(*config.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("a %s is no KubeSchedulerConfiguration", kind)
	}
	c.TypeMeta.APIVersion = kind.GroupVersion().String()
	return c, nil
}

// Options are those that kube-scheduler takes from the configuration.
func Options(c *config.KubeSchedulerConfiguration) []upstream.Option {
	return []upstream.Option{
		upstream.WithComponentConfigVersion(c.TypeMeta.APIVersion),
		upstream.WithProfiles(c.Profiles...),
		upstream.WithPercentageOfNodesToScore(c.PercentageOfNodesToScore),
		upstream.WithPodInitialBackoffSeconds(c.PodInitialBackoffSeconds),
		upstream.WithPodMaxBackoffSeconds(c.PodMaxBackoffSeconds),
		upstream.WithExtenders(c.Extenders...),
		upstream.WithParallelism(c.Parallelism),
	}
}

// New calls scheduler.New, whose first parameters differ between the releases.
type New func(kubernetes.Interface, informers.SharedInformerFactory, func(string) events.EventRecorder,
	...upstream.Option) (*upstream.Scheduler, error)

// CheckAll prints a line for each of the command's files.
func CheckAll(version schema.GroupVersion, newScheduler New) {
	var files []string
	for _, file := range os.Args[1:] {
		if file != "-check" {
			files = append(files, file)
		}
	}
	create := func(c *config.KubeSchedulerConfiguration) (*upstream.Scheduler, func(), error) {
		client := kubernetes.NewForConfigOrDie(&rest.Config{})
		s, err := newScheduler(client, informers.NewSharedInformerFactory(client, 0),
			func(string) events.EventRecorder { return nil }, Options(c)...)
		return s, func() {}, err
	}
	if err := answer.CheckAll(files, Loader{Load: Load, New: create, As: version}.Check); err != nil {
		panic(err)
	}
}
