import { readFileSync } from 'node:fs';
import { isRecord, parseJson } from '../../../shared/json.ts';
import { redactPatterns } from '../../../shared/redaction/secret-patterns.ts';
import { TapeWords } from '../../tape/tape-words.ts';
import { McpReplay, type McpReplayOptions } from '../control/mcp-replay.ts';
import type { ProxyTape } from './proxy.ts';

interface ReplayingProxy extends Pick<McpReplayOptions, 'server' | 'onAction'> {
  readonly logFile: string;
  /** Id of this proxy. */
  readonly proxy: string;
}

/** A recording in place of the server of a proxy; it goes on where an earlier proxy of the same server ended. */
export function openProxyReplay(
  { lines, rules, folders }: Extract<ProxyTape, { kind: 'replay' }>,
  { server, onAction, logFile, proxy }: ReplayingProxy,
): McpReplay {
  const words = new TapeWords(folders, redactPatterns);
  const replay = new McpReplay({ lines, rules, words, server, onAction });
  for (const line of logLines(logFile)) {
    const record = parseJson(line);
    if (!isRecord(record) || record.kind !== 'message' || record.proxy === proxy) continue;
    const message = record.direction === 'to-server' ? parseJson(String(record.text)) : undefined;
    if (isRecord(message) && message.method === 'tools/call') replay.skip(message.params);
  }
  return replay;
}

function logLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
