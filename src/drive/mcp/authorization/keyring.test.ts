import { expect, it } from 'vitest';
import { openKeyring } from './keyring.ts';

it('a keyring is open only if it can be written to; else the reason is known before a login', async () => {
  const { keyring, missing } = await openKeyring({});
  if (keyring) expect(await keyring.delete('mcp-no-such-login')).toBe(false);
  else expect(missing).toMatch(/\w/);
  expect(await openKeyring({ ASSAY_KEYRING: 'off' })).toEqual({ missing: 'ASSAY_KEYRING is "off"' });
});
