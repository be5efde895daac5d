import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Kinds of blocks and items in the APIs of providers, as a reader names them. */
const blockKind =
  /'(?:(?:server_|mcp_)?tool_use|\w*tool_result|(?:function|custom_tool|web_search)_call(?:_output)?|functionCall|functionResponse|toolUse|toolResult|redacted_thinking|(?:in|out)put_text)'|\b(?:functionCall|functionResponse)\b/;

/** The files beside the codecs that name one, and why each of them is not a reader of an API. */
const others: Readonly<Record<string, string>> = {
  'src/domain/events-jsonl.ts': 'events of our own format',
  'src/load/imports/formats/events-file.ts': 'events of our own format',
  'src/score/interaction/events-file.ts': 'events of our own format',
  'src/drive/agents/continue/continue.ts': 'what a model can do, in a config file',
  'src/drive/agents/pi/pi.ts': 'reasons and roles in the format of pi',
  'src/drive/connectors/wire/messages.ts': 'names of the fields that hold calls, which the codecs read',
  'src/drive/models/scripted/placeholders.ts': 'words of a script',
  'src/drive/models/scripted/rule-book.ts': 'words of a script',
  'src/drive/tape/nearest.ts': 'whether a written message holds a result, as text',
  'src/drive/targets/mcp/suite/client-answers.ts': 'writes a message of MCP',
  'src/load/imports/formats/codex-rollout/codex-rollout.ts': 'the calls that start sub-agents',
  'src/load/imports/formats/codex-rollout/rollout-reader.ts': 'searches, whose results the session does not hold',
  'src/load/imports/formats/otlp/conventions/agent-sessions.ts': 'names of events',
  'src/load/imports/formats/promptfoo.ts': 'recognises an output that is a list of calls',
};

function sourceFiles(): string[] {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const isSource = (name: string): boolean => /\.ts$/.test(name) && !/\.test\.ts$|^testing\/|^drive\/wire\//.test(name);
  return names.filter(isSource).map((name) => join('src', name));
}

/** A choice between spellings of the arguments of a call, as a second reader of calls would make it. */
const callSpellings = /\b(?:arguments|args|input|params)\s*\?\?\s*\w+\??\.(?:arguments|args|input|params|parameters)\b/;

/** The files beside the codecs that make such a choice, and why none of them reads calls of a model. */
const otherSpellings: Readonly<Record<string, string>> = {
  'src/drive/targets/mcp/suite/run-suite-test.ts': 'keys of a scenario file',
  'src/drive/targets/mcp/suite/resource-attempts.ts': 'keys of a scenario file',
};

it('reads the calls of models in the codecs only', () => {
  const choosing = sourceFiles().filter((path) => callSpellings.test(readFileSync(join(root, path), 'utf8')));
  expect(choosing.sort()).toEqual(Object.keys(otherSpellings).sort());
});

it('reads the blocks of the APIs of providers in the codecs only', () => {
  const naming = sourceFiles().filter((path) => blockKind.test(readFileSync(join(root, path), 'utf8')));
  expect(naming.sort()).toEqual(Object.keys(others).sort());
});
