import { describe, expect, it } from 'vitest';
import { proxyHeaders } from './connections.ts';
import { proxyFor } from './proxies.ts';

const proxy = 'http://proxy.test:3128';

function isProxied(url: string, noProxy: string): boolean {
  return proxyFor(new URL(url), { http_proxy: proxy, https_proxy: proxy, no_proxy: noProxy }) !== undefined;
}

describe('the proxy of a URL', () => {
  it('is chosen by the scheme, the lower-case variable first', () => {
    const env = { HTTP_PROXY: 'http://upper', http_proxy: 'http://lower', HTTPS_PROXY: 'secure.test:8080' };
    expect(proxyFor(new URL('http://a.test/'), env)?.host).toBe('lower');
    expect(proxyFor(new URL('https://a.test/'), env)?.href).toBe('http://secure.test:8080/');
    expect(proxyFor(new URL('https://a.test/'), { HTTP_PROXY: proxy })).toBeUndefined();
    expect(proxyFor(new URL('https://a.test/'), { ALL_PROXY: proxy })?.host).toBe('proxy.test:3128');
    expect(proxyFor(new URL('http://a.test/'), { HTTP_PROXY: ' ' })).toBeUndefined();
  });

  it.each<[string, string, boolean]>([
    ['http://api.example.com/', 'example.com', false],
    ['http://api.example.com/', '.example.com', false],
    ['http://example.com/', '.example.com', false],
    ['http://EXAMPLE.com/', 'Example.COM', false],
    ['http://notexample.com/', 'example.com', true],
    ['http://example.com.evil.test/', 'example.com', true],
    ['http://a.test/', '*', false],
    ['http://a.test/', 'b.test, a.test', false],
    ['http://a.test:8080/', 'a.test:8080', false],
    ['http://a.test:8081/', 'a.test:8080', true],
    ['https://a.test/', 'a.test:443', false],
    ['http://127.0.0.1:5000/', '127.0.0.1', false],
    ['http://127.0.0.1:5000/', '', true],
    ['http://10.1.2.3/', '10.0.0.0/8', false],
    ['http://11.1.2.3/', '10.0.0.0/8', true],
    ['http://[::1]:80/', '::1', false],
    ['http://[fd00::5]/', 'fd00::/8', false],
    ['http://1.2.3.4/', '3.4', true],
  ])('for %s with NO_PROXY=%s: used %s', (url, noProxy, expected) => {
    expect(isProxied(url, noProxy)).toBe(expected);
  });

  it('is refused when it is not an http or https URL', () => {
    expect(() => proxyFor(new URL('http://a.test/'), { HTTP_PROXY: 'socks5://proxy:1080' })).toThrow('not an http');
  });

  it('gets its user and password as a header', () => {
    expect(proxyHeaders(new URL('http://ann:p%40ss@proxy'))).toEqual({
      'proxy-authorization': `Basic ${Buffer.from('ann:p@ss').toString('base64')}`,
    });
    expect(proxyHeaders(new URL('http://proxy'))).toEqual({});
  });
});
