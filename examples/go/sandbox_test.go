// A sandbox of the mock for each test. Run with: moot exec -- go test -C examples/go ./...
package moot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"testing"
)

type sandbox struct {
	ID           string
	BaseURL      string `json:"base_url"`
	AdminURL     string `json:"admin_url"`
	Applications []struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
	}
}

// control calls the control plane.
func control(t *testing.T, method, address string, body, into any) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(method, address, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if token := os.Getenv("MOOT_ADMIN_TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s", method, address, response.Status)
	}
	if into != nil {
		if err := json.NewDecoder(response.Body).Decode(into); err != nil {
			t.Fatal(err)
		}
	}
}

// newSandbox creates a sandbox, which is deleted at the end of the test.
func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	admin := os.Getenv("MOOT_ADMIN_URL")
	made := &sandbox{}
	control(t, "POST", admin+"/sandboxes", map[string]string{"clock": "frozen"}, made)
	t.Cleanup(func() { control(t, "DELETE", fmt.Sprintf("%s/sandboxes/%s", admin, made.ID), nil, nil) })
	return made
}

func (s *sandbox) token(t *testing.T) string {
	t.Helper()
	client := s.Applications[0]
	response, err := http.PostForm(s.BaseURL+"/oauth/token", url.Values{
		"grant_type": {"client_credentials"}, "scope": {"read write"},
		"client_id": {client.ClientID}, "client_secret": {client.ClientSecret},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var token struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.NewDecoder(response.Body).Decode(&token); err != nil {
		t.Fatal(err)
	}
	return token.AccessToken
}

func (s *sandbox) workflows(t *testing.T, token string) int {
	t.Helper()
	request, _ := http.NewRequest("GET", s.BaseURL+"/v1/workflows", nil)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

func TestATokenReadsWorkflows(t *testing.T) {
	box := newSandbox(t)
	if status := box.workflows(t, box.token(t)); status != 200 {
		t.Fatal(status)
	}
}

func TestATokenExpires(t *testing.T) {
	box := newSandbox(t)
	token := box.token(t)
	control(t, "POST", box.AdminURL+"/clock", map[string]int{"advance_seconds": 7200}, nil)
	if status := box.workflows(t, token); status != 401 {
		t.Fatal(status)
	}
	if status := box.workflows(t, box.token(t)); status != 200 {
		t.Fatal(status)
	}
}
