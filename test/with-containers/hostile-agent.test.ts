import { beforeAll, describe, expect, it } from 'vitest';
import { documentedDefences } from '../../src/testing/support/documented-defences.ts';
import { attacks } from '../../src/testing/support/hostile-attacks.ts';
import { containerImage } from '../../src/testing/support/hostile-runs.ts';
import { makeImage } from './container-image.ts';

beforeAll(() => makeImage(containerImage));

const documented = documentedDefences();

describe('in the isolation container, an agent', () => {
  for (const [name, attack] of Object.entries(attacks)) {
    const expected = documented.get(name)?.container;
    it(`that ${name}: ${expected}`, async (context) => {
      expect(await attack('container', context)).toBe(expected);
    });
  }
});
