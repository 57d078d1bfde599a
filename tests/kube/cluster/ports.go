package cluster

import (
	"fmt"
	"net"
)

// freePorts asks the kernel for n different free loopback ports.
// They are held together until all are known, so that none is given twice. Between here and the
// program's own bind somebody else may take one: the program then exits, and Start tries again.
func freePorts(n int) ([]int, error) {
	ports := make([]int, 0, n)
	for len(ports) < n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer listener.Close()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
