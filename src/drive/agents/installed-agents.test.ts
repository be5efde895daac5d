import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { agentKinds } from './index.ts';
import { agentPrograms, installedAgents } from './installed-agents.ts';

it('knows the program of every kind that has one', () => {
  const programs = agentKinds.flatMap(({ name, program }) => (program === null ? [] : [[name, program]]));
  expect(agentPrograms).toEqual(Object.fromEntries(programs));
});

it('finds executable programs on the path, and no others', async () => {
  const folder = await temporaryFolder({ codex: '#!/bin/sh\n', claude: '#!/bin/sh\n' });
  await chmod(join(folder, 'codex'), 0o755);
  expect(installedAgents(`relative:${folder}`)).toEqual(['codex']);
  expect(installedAgents(undefined)).toEqual([]);
});
