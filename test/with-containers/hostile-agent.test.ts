import { afterAll, beforeAll, describe, it } from 'vitest';
import { DefenceTable } from '../../src/testing/support/defence-table.ts';
import { attacks } from '../../src/testing/support/hostile-attacks.ts';
import { containerImage } from '../../src/testing/support/hostile-runs.ts';
import { makeImage } from './container-image.ts';

const table = new DefenceTable();
beforeAll(() => makeImage(containerImage));
afterAll(() => table.save(Object.keys(attacks)));

describe('in the isolation container, an agent', () => {
  for (const [name, attack] of Object.entries(attacks)) {
    it(`that ${name}: ${table.of(name, 'container')}`, async (context) => {
      table.note(name, 'container', await attack('container', context));
    });
  }
});
