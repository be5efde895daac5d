import { describe, expect, it } from 'vitest';
import { appDefects } from './apps.ts';

const app = (text: string, ui: object = {}, mimeType = 'text/html;profile=mcp-app') =>
  appDefects({ uri: 'ui://a', mimeType, text, _meta: { ui } }).map(({ kind, message }) => `${kind}: ${message}`);

describe('the interface of a tool', () => {
  it.each<[string, string, object]>([
    ['<p>Hello</p>', 'nothing that is loaded', {}],
    [
      '<script src="https://cdn.example.com/a.js"></script>',
      'a script',
      { csp: { resourceDomains: ['https://cdn.example.com'] } },
    ],
    [
      '<img src="https://a.example.com/x.png">',
      'any host below',
      { csp: { resourceDomains: ['https://*.example.com'] } },
    ],
    [
      '<script>fetch("https://api.example.com/x")</script>',
      'a request',
      { csp: { connectDomains: ['https://api.example.com'] } },
    ],
    ['<script>navigator.geolocation.watchPosition(f)</script>', 'a permission', { permissions: { geolocation: {} } }],
  ])('%s is fine with %s', (html, _what, ui) => {
    expect(app(html, ui)).toEqual([]);
  });

  it.each<[string, object, string]>([
    [
      '<script src="https://cdn.example.com/a.js"></script>',
      {},
      'policy: It uses https://cdn.example.com, which `csp.resourceDomains` does not allow.',
    ],
    [
      '<iframe src="https://x.example.com/">',
      { csp: { frameDomains: ['http://x.example.com'] } },
      'policy: It uses https://x.example.com, which `csp.frameDomains` does not allow.',
    ],
    [
      '<script>new WebSocket("wss://x.example.com/s")</script>',
      {},
      'policy: It uses wss://x.example.com, which `csp.connectDomains` does not allow.',
    ],
    ['', { csp: { connectDomains: ['*'] } }, 'policy: `csp.connectDomains` has "*", which is not an origin.'],
    [
      '<script>navigator.clipboard.writeText("x")</script>',
      {},
      'permission: It uses clipboardWrite, which `permissions` does not declare.',
    ],
    ['', { permissions: { usb: {} } }, 'permission: `permissions.usb` is not a permission of the extension.'],
  ])('%s with %j: %s', (html, ui, defect) => {
    expect(app(html, ui)).toEqual([defect]);
  });

  it('has the type of the extension', () => {
    expect(app('', {}, 'text/html')).toEqual(['malformed: `mimeType` is not `text/html;profile=mcp-app`.']);
  });
});
