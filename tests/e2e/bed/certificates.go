package bed

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

// certificates are files: an authority, a certificate for servers on loopback, and the key that signs service
// accounts' tokens.
type certificates struct {
	CA, Cert, Key, ServiceAccountKey string
	CAData                           []byte

	authority    *x509.Certificate
	authorityKey crypto.Signer
}

// Certificate is two files, and the authority that has signed the first.
type Certificate struct{ CA, Cert, Key string }

// Issue writes a certificate of the bed's authority for that name: for a server on loopback, or for a client. A second
// one of the same name takes the place of the first.
func (b *Bed) Issue(name string, usage x509.ExtKeyUsage) (c Certificate, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return c, err
	}
	leaf := template(name)
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{usage}
	leaf.DNSNames = []string{name}
	leaf.IPAddresses = reachable()
	der, err := x509.CreateCertificate(rand.Reader, leaf, b.certificates.authority, &key.PublicKey, b.certificates.authorityKey)
	if err != nil {
		return c, err
	}
	c = Certificate{b.certificates.CA, filepath.Join(b.folder, name+".crt"), filepath.Join(b.folder, name+".key")}
	if err = os.WriteFile(c.Key, keyPEM(key), 0o600); err != nil {
		return c, err
	}
	return c, os.WriteFile(c.Cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
}

func makeCertificates(folder string) (c certificates, err error) {
	authority, authorityKey, err := newAuthority()
	if err != nil {
		return c, err
	}
	c.authority, c.authorityKey = authority, authorityKey
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return c, err
	}
	leaf := template("loopback")
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	leaf.DNSNames = []string{"localhost", "kubernetes.default.svc"}
	leaf.IPAddresses = reachable()
	der, err := x509.CreateCertificate(rand.Reader, leaf, authority, &key.PublicKey, authorityKey)
	if err != nil {
		return c, err
	}
	signer, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return c, err
	}
	c.CAData = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Raw})
	write := func(name string, text []byte) string {
		path := filepath.Join(folder, name)
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		return path
	}
	c.CA = write("ca.crt", c.CAData)
	c.Cert = write("server.crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	c.Key = write("server.key", keyPEM(key))
	c.ServiceAccountKey = write("service-account.key", keyPEM(signer))
	return c, err
}

func newAuthority() (*x509.Certificate, crypto.Signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	root := template("e2e authority")
	root.IsCA, root.BasicConstraintsValid = true, true
	root.KeyUsage |= x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, root, root, &key.PublicKey, key)
	if err != nil {
		return nil, nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	return certificate, key, err
}

func template(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func keyPEM(key any) []byte {
	der, _ := x509.MarshalPKCS8PrivateKey(key)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}
