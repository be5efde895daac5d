import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandTarget } from '../../src/drive/targets/call/command-target.ts';
import { httpTarget } from '../../src/drive/targets/call/http-target.ts';
import { moduleTarget } from '../../src/drive/targets/call/module-target.ts';
import type { TargetKind } from '../../src/drive/targets/target.ts';
import { UncompiledThreads } from '../../src/testing/fakes/connectors/uncompiled-threads.ts';
import { bytesOfText } from '../../src/testing/support/raw-bytes.ts';
import { readByTarget } from './attempt.ts';
import { listening } from './listening.ts';
import { oneTrial, type Reader } from './reader.ts';

/** Answers of tools that are called without an agent. */
const answers: Readonly<Record<string, unknown>> = {
  booking: { id: 'b-17', guests: [{ name: 'Ann' }, { name: 'Ben' }], total: 42.5, isPaid: false, note: null },
  list: [
    { id: 1, state: 'open' },
    { id: 2, state: 'closed' },
  ],
};

const input = { table: 'window' };

interface Called {
  readonly name: string;
  readonly kind: TargetKind;
  /** Of the target; the same wherever the answer is found. */
  readonly config: object;
}

/** Reads its answer again for each call; text that is not JSON makes it throw, as it does in any module. */
const moduleText = (file: string): string =>
  `import { readFileSync } from 'node:fs';\nexport default () => JSON.parse(readFileSync(${JSON.stringify(file)}, 'utf8'));\n`;

function calledReader({ name, kind, config }: Called): Reader {
  let [folder, url, reply] = ['', '', ''];
  return {
    name,
    documents: Object.entries(answers).map(([document, answer]) => ({
      name: document,
      text: JSON.stringify(answer),
      async read(text) {
        if (folder === '') return oneTrial([]);
        reply = text;
        await writeFile(join(folder, 'answer.json'), bytesOfText(text));
        const env = { PATH: process.env.PATH, TOOL_URL: url };
        return readByTarget(kind, config, input, { directory: folder, env, threads: new UncompiledThreads() });
      },
    })),
    async open() {
      folder = await mkdtemp(join(tmpdir(), 'assay-called-'));
      await writeFile(join(folder, 'tool.mjs'), moduleText(join(folder, 'answer.json')));
      const server = await listening(
        createServer((request, response) => request.resume().on('end', () => response.end(bytesOfText(reply)))),
      );
      url = server.url;
      return {
        async [Symbol.asyncDispose]() {
          await server[Symbol.asyncDispose]();
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
  };
}

/** Readers of the answers of tools that are called directly. */
export const calledReaders: readonly Reader[] = [
  { name: 'called/http', kind: httpTarget, config: { url: '${TOOL_URL}' } },
  { name: 'called/command', kind: commandTarget, config: { command: 'cat answer.json' } },
  { name: 'called/module', kind: moduleTarget, config: { module: './tool.mjs' } },
].map(calledReader);
