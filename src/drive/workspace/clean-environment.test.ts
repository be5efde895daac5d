import { describe, expect, it } from 'vitest';
import { cleanEnvironment } from './clean-environment.ts';

const folders = { home: '/trial/home', tmp: '/trial/tmp' };

describe('cleanEnvironment', () => {
  it('keeps what is needed to run and to reach the network, and nothing else', () => {
    const kept = {
      PATH: '/bin',
      LANG: 'C.UTF-8',
      LC_ALL: 'C',
      TZ: 'UTC',
      TERM: 'dumb',
      USER: 'me',
      LOGNAME: 'me',
      SHELL: '/bin/sh',
      http_proxy: 'a',
      HTTPS_PROXY: 'b',
      no_proxy: 'c',
      ALL_PROXY: 'd',
      SSL_CERT_FILE: 'e',
      SSL_CERT_DIR: 'f',
      NODE_EXTRA_CA_CERTS: 'g',
    };
    const dropped = {
      OPENAI_API_KEY: 'secret',
      SSH_AUTH_SOCK: '/run/agent',
      HOME: '/home/me',
      TMPDIR: '/tmp',
      XDG_CONFIG_HOME: '/home/me/.config',
      NODE_OPTIONS: '--inspect',
      LD_PRELOAD: 'x.so',
      my_proxy: 'x',
    };
    const { HOME, TMPDIR, XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_DATA_HOME, XDG_STATE_HOME, ...rest } = cleanEnvironment(
      { ...kept, ...dropped },
      folders,
    );
    expect(rest).toEqual(kept);
    expect([HOME, TMPDIR]).toEqual(['/trial/home', '/trial/tmp']);
    expect([XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_DATA_HOME, XDG_STATE_HOME]).toEqual([
      '/trial/home/.config',
      '/trial/home/.cache',
      '/trial/home/.local/share',
      '/trial/home/.local/state',
    ]);
  });

  it('lets additions win', () => {
    expect(cleanEnvironment({ PATH: '/bin' }, folders, { PATH: '/shim:/bin', TOOL: '1' })).toMatchObject({
      PATH: '/shim:/bin',
      TOOL: '1',
    });
  });

  it('has a PATH even if we have none', () => {
    expect(cleanEnvironment({ PATH: undefined }, folders).PATH).toContain('/usr/bin');
  });
});
