package answer

import "encoding/json"

// DeviceClaim is what a node has for one of the pod's claims. A claim that was allocated before has none. Fields that the API
// has too are called as there.
type DeviceClaim struct {
	Claim        string          `json:"claim"` // "<extended-resources>" is made for the pod's extended resources.
	Devices      []Device        `json:"devices"`
	NodeSelector json.RawMessage `json:"nodeSelector,omitempty"`
	Mappings     []DeviceMapping `json:"mappings,omitempty"` // Of "<extended-resources>".
}

// Device is one that is allocated. Shared: by a share of its own, whose id is drawn and left out.
type Device struct {
	Request                  string            `json:"request"`
	Driver                   string            `json:"driver"`
	Pool                     string            `json:"pool"`
	Device                   string            `json:"device"`
	AdminAccess              bool              `json:"adminAccess,omitempty"`
	Shared                   bool              `json:"shared,omitempty"`
	ConsumedCapacity         map[string]string `json:"consumedCapacity,omitempty"`
	BindingConditions        []string          `json:"bindingConditions,omitempty"`
	BindingFailureConditions []string          `json:"bindingFailureConditions,omitempty"`
}

// DeviceMapping says which request serves a container's extended resource.
type DeviceMapping struct {
	Container string `json:"containerName"`
	Resource  string `json:"resourceName"`
	Request   string `json:"requestName"`
}
