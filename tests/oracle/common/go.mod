// What the oracle programs share. It requires nothing: the program's go.mod says which release of Kubernetes it is linked with.
module winnow.test/oracle/common

go 1.16
