import { describe, expect, it } from 'vitest';
import type { TraceEventOf } from '../../domain/trace.ts';
import { oneLine } from '../../shared/text.ts';
import { FoundInstructions, type InstructionPatterns } from './found-instructions.ts';

const guidance = '# Notes\n\nUse `notes add --text`.\nNever delete a note.';
const sought: InstructionPatterns = {
  guidance: 'v2',
  texts: [
    { path: 'CLAUDE.md', from: 'guidance', text: guidance },
    { path: 'docs/AGENTS.md', from: 'template', text: 'Docs are in English.' },
    { path: 'marked.md', from: 'template', text: 'A long text that agents shorten.', canary: 'canary-7781' },
  ],
  foreign: [{ path: '/home/ann/project/AGENTS.md', text: 'Deploy on Fridays only.' }],
};

type Found = Omit<TraceEventOf<'instructions'>, 'at'>;

function found(prompts: readonly (readonly [thread: number, prompt: string])[], main: number | undefined = 1): Found {
  const instructions = new FoundInstructions(sought);
  for (const [thread, prompt] of prompts) instructions.look(thread, oneLine(prompt), prompt);
  return instructions.event(main) as Found;
}

describe('instructions in prompts', () => {
  it('are found by their whole text, however the agent breaks its lines', () => {
    const wrapped = `<system>\n  # Notes\n  Use \`notes add --text\`. Never   delete\n a note.\n</system>`;
    expect(
      found([
        [1, wrapped],
        [1, wrapped],
        [1, 'without'],
      ]),
    ).toMatchObject({
      guidance: 'v2',
      arrived: 'yes',
      calls: { with: 2, of: 3 },
      files: [{ path: 'CLAUDE.md', from: 'guidance' }],
      foreign: [],
    });
  });

  it('are not found by a part of their text', () => {
    expect(found([[1, 'Use `notes add --text`.']])).toMatchObject({
      arrived: 'no',
      calls: { with: 0, of: 1 },
      files: [],
    });
  });

  it('are found by their canary', () => {
    expect(found([[1, 'A long … (canary-7781) …']])).toMatchObject({
      files: [{ path: 'marked.md', from: 'template' }],
    });
  });

  it('count in the main conversation only', () => {
    expect(
      found([
        [1, 'nothing'],
        [2, guidance],
      ]),
    ).toMatchObject({ arrived: 'no', calls: { with: 0, of: 1 } });
  });

  it('are unknown where no call was seen', () => {
    expect(found([], undefined)).toMatchObject({ arrived: 'unknown', calls: { with: 0, of: 0 } });
  });

  it.each([
    ['of the project', 'Before.\nDeploy on  Fridays only.\nAfter.', '/home/ann/project/AGENTS.md'],
    [
      'in the words of Claude Code',
      'Contents of /home/ann/CLAUDE.md (project instructions, checked into the codebase):\n\nBe kind.',
      '/home/ann/CLAUDE.md',
    ],
    [
      'in the words of Codex',
      '# AGENTS.md instructions for /home/ann\n\n<INSTRUCTIONS>\nBe kind.\n</INSTRUCTIONS>',
      '/home/ann',
    ],
    [
      'in the words of Gemini CLI',
      '--- Context from: ../GEMINI.md ---\nBe kind.\n--- End of Context from: ../GEMINI.md ---',
      '../GEMINI.md',
    ],
    ['in the words of OpenCode', 'Instructions from: /home/ann/AGENTS.md\nBe kind.', '/home/ann/AGENTS.md'],
  ])('that are foreign are named: %s', (_, prompt, path) => {
    expect(found([[1, prompt]]).foreign).toMatchObject([{ path }]);
  });

  it('of the trial are not foreign, whatever introduces them', () => {
    const prompt = `Contents of /project/CLAUDE.md (project instructions, checked into the codebase):\n\n${guidance}`;
    expect(found([[1, prompt]])).toMatchObject({ arrived: 'yes', foreign: [] });
  });
});
