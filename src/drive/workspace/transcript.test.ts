import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { redactingStream } from '../../shared/redaction/redacting-stream.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { type StreamRedaction, Transcript } from './transcript.ts';

async function transcriptFile(): Promise<string> {
  return join(await temporaryFolder(), 'transcript.raw.txt');
}

const small = { headBytes: 30, tailBytes: 30, lineBytes: 100 };

function without(...secrets: readonly string[]): StreamRedaction {
  return redactingStream({ secrets, withPatterns: false });
}

describe('Transcript', () => {
  it('has on disk what was printed so far, and its channels do not cut each other', async () => {
    const file = await transcriptFile();
    using transcript = new Transcript(file, without());
    const [stdout, stderr] = [transcript.channel(), transcript.channel()];
    stdout.push(Buffer.from('one\ntw'));
    stderr.push(Buffer.from('warn'));
    stderr.push(Buffer.from('ing\r\n'));
    stdout.push(Buffer.from('o\n'));
    expect(readFileSync(file, 'utf8')).toBe('one\nwarning\r\ntwo\n');
  });

  it('keeps whole lines of the beginning and of the end, and counts the rest', async () => {
    const file = await transcriptFile();
    const transcript = new Transcript(file, without(), small);
    const channel = transcript.channel();
    for (let line = 100; line < 200; line++) channel.push(Buffer.from(`line ${line}\n`));
    transcript[Symbol.dispose]();
    const text = readFileSync(file, 'utf8');
    const kept = ['line 100', 'line 101', 'line 102', 'line 197', 'line 198', 'line 199'];
    const mark = `… ${(100 - kept.length) * 9} bytes left out …`;
    expect(text.split('\n').filter(Boolean)).toEqual([...kept.slice(0, 3), mark, ...kept.slice(3)]);
  });

  it('hands on a very long line in pieces', async () => {
    const file = await transcriptFile();
    using transcript = new Transcript(file, without(), { headBytes: 1_000, tailBytes: 1_000, lineBytes: 10 });
    transcript.channel().push(Buffer.from('no end in sight'));
    expect(readFileSync(file, 'utf8')).toBe('no end in sight');
  });

  it('lets no secret through, in the beginning and in the end', async () => {
    const file = await transcriptFile();
    const transcript = new Transcript(file, without('hunter22'), small);
    const channel = transcript.channel();
    for (let round = 0; round < 20; round++) {
      for (const part of ['key ', 'hun', 'ter22', '\n']) channel.push(Buffer.from(part));
    }
    channel.push(Buffer.from('key hunter22'));
    channel.end();
    transcript[Symbol.dispose]();
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('hunter');
    expect(text).toMatch(/^key \[redacted\]\n.*bytes left out.*key \[redacted\]\n$/s);
  });

  it('says what kept it from being written and goes on', () => {
    using transcript = new Transcript('/nowhere/at/all/transcript.raw.txt', without());
    transcript.channel().push(Buffer.from('text\n'));
    expect(transcript.problem).toContain('ENOENT');
  });
});
