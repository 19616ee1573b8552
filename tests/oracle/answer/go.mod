module winnow.test/oracle/answer

go 1.16
