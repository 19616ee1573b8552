package main

import v1 "k8s.io/api/core/v1"

func isAmbiguousPredicate(s *scheduler, p predicate, pod *v1.Pod) bool { return false }

func isAmbiguousPriority(s *scheduler, name string, pod *v1.Pod) bool { return false }
