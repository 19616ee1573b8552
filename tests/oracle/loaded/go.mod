module winnow.test/oracle/loaded

go 1.20

require k8s.io/kubernetes v1.27.16
