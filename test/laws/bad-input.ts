import { textOfBytes } from '../../src/testing/support/raw-bytes.ts';
import type { Reading } from './reader.ts';

/** A way to spoil a document that no program writes on purpose. */
export interface Spoiled {
  readonly name: string;
  of(text: string): string;
  /** Readers to which it is a document like any other, and why. */
  readonly exempt?: Readonly<Record<string, RegExp>>;
  /** Whether a reader must notice it; otherwise it must only survive. */
  readonly isNoticed: boolean;
}

/** More levels than any reader can walk through recursively. */
const levels = 20_000;
const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Strings of several words in JSON: what people and models say, and not a name that a format knows. */
const prose = /"(?:[^"\\\n]* )[^"\\\n]*(?=")/g;

const anyText = { 'any text may be an answer': /^websocket$|^import text$|^acp$/ };
const decodedBefore = {
  ...anyText,
  'lines and frames are decoded before they are read':
    /^(?:claude|qwen|codex|opencode|gemini|pi|copilot|kimi|cline)$|^continue$|^mcp-proxy$/,
  'a gateway passes words on without reading them': /^gateway\//,
  'streams of a codec are read as text': /^(?:gemini|bedrock-converse), streamed$/,
  'the module decodes the bytes itself': /^called\/(?:module|command)$/,
};

export const spoiled: readonly Spoiled[] = [
  { name: 'UTF-16', of: (text) => textOfBytes(Buffer.from(text, 'utf16le')), isNoticed: true, exempt: anyText },
  {
    name: 'UTF-16 with a mark',
    of: (text) => textOfBytes(Buffer.from(`\uFEFF${text}`, 'utf16le')),
    isNoticed: true,
    exempt: anyText,
  },
  {
    name: 'Latin-1',
    of: (text) => text.replace(prose, (words) => `${words}${textOfBytes(Buffer.from('é', 'latin1'))}`),
    isNoticed: true,
    exempt: decodedBefore,
  },
  { name: 'NUL bytes', of: (text) => text.replaceAll('":', '"\0:'), isNoticed: true, exempt: anyText },
  { name: 'nested without end', of: () => `${deep}\n`, isNoticed: true, exempt: anyText },
  {
    name: 'a record nested without end',
    of: () => `{"type":"message","role":"assistant","id":1,"result":${deep},"content":${deep}}\n`,
    isNoticed: true,
    exempt: anyText,
  },
  {
    name: 'nothing',
    of: () => '',
    isNoticed: true,
    exempt: { ...anyText, 'an agent need not start its servers': /^mcp-proxy$/ },
  },
  { name: 'halves of characters', of: (text) => text.replace(prose, (words) => `${words}\\ud83d`), isNoticed: false },
  { name: 'a byte order mark', of: (text) => `\uFEFF${text}`, isNoticed: false },
];

/** How a reading says that something is wrong; undefined where it says nothing. */
export function reportIn({ trials, hasProblems }: Reading): string | undefined {
  const all = [...trials.values()];
  if (all.some(({ fault, record }) => fault !== undefined || record?.outcome === 'error')) return 'error';
  if (all.some(({ trace }) => trace.some(({ type }) => type === 'gap'))) return 'gap';
  if (all.some(({ trace }) => trace.some((event) => event.type === 'tool-result' && event.error))) return 'tool error';
  return hasProblems || all.length === 0 ? 'problem' : undefined;
}
