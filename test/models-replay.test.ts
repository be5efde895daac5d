import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReplayMode } from '../src/models/replay.ts';
import { ask, failureOf, keys, opened, question, scripted, secretKey } from './support/models.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const request = question('Say it', { system: 'Be brief.', temperature: 0 });

async function recorder(script = { rules: [{ reply: 'Reply {{n}}', usage: { input: 100, output: 20 } }] }) {
  const server = await scripted(script);
  const directory = join(await temporaryFolder(), 'recordings');
  const models = (mode: ReplayMode, env: Record<string, string> = { ...server.environment, ...keys }) =>
    opened({ env, replay: { mode, directory } });
  return { server, directory, models };
}
