import { expect, it } from 'vitest';
import { areInstalled } from '../../scripts/installed-packages.mjs';

const wanted = {
  '': { version: '0.1.0' },
  'node_modules/zod': { version: '4.6.7' },
  'node_modules/for-windows': { version: '1.0.0', optional: true },
};

it('finds that `npm ci` was called by hand, so nothing is installed twice', () => {
  expect(areInstalled(wanted, { 'node_modules/zod': { version: '4.6.7' } })).toBe(true);
  expect(areInstalled(wanted, { ...wanted, 'node_modules/more': { version: '1.0.0' } })).toBe(true);
});

it('installs packages that are missing, or of another version', () => {
  expect(areInstalled(wanted, {})).toBe(false);
  expect(areInstalled(wanted, { 'node_modules/zod': { version: '4.6.6' } })).toBe(false);
  expect(
    areInstalled(wanted, {
      'node_modules/zod': { version: '4.6.7' },
      'node_modules/for-windows': { version: '2.0.0' },
    }),
  ).toBe(false);
});
