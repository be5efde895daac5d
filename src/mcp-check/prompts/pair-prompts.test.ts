import { describe, expect, it } from 'vitest';
import { type ListedTool, readTool } from '../definitions/listed-server.ts';
import { pairPrompts } from './pair-prompts.ts';

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

function promptsFor(...texts: [name: string, description: string][]) {
  const [a, b] = texts.map(([name, description]) => readTool({ name, description, inputSchema }) as ListedTool);
  return pairPrompts([a as ListedTool, b as ListedTool], {
    count: 20,
    seed: 1,
    toolNames: texts.map(([name]) => name),
  });
}

describe('requests for a pair of tools', () => {
  it('come in turns, each in words that the other tool does not have', () => {
    const made = promptsFor(
      ['list_mail', 'Lists mail that has a text. Looks into the inbox only.'],
      ['find_mail', 'Lists mail that has a text. Looks into the archive only.'],
    );
    expect(made?.basis).toBe('descriptions');
    expect(made?.prompts.map(({ tool }) => tool)).toEqual(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'list_mail' : 'find_mail')),
    );
    for (const { tool, text } of made?.prompts ?? []) {
      expect(text).toContain(tool === 'list_mail' ? 'inbox' : 'archive');
      expect(text).not.toMatch(/list_mail|find_mail/);
    }
  });

  it('take the words of the names where the descriptions do not differ', () => {
    const made = promptsFor(['list_mail', 'Shows mail with a text.'], ['find_mail', 'Shows mail with a text.']);
    expect(made?.basis).toBe('names');
    for (const { tool, text } of made?.prompts ?? []) {
      expect(text.toLowerCase()).toContain(tool === 'list_mail' ? 'list mail' : 'find mail');
    }
  });

  it('cannot be written where nothing differs', () => {
    expect(promptsFor(['getMail', 'Shows mail.'], ['get_mail', 'Shows mails.'])).toBeUndefined();
    expect(promptsFor(['getMail', ''], ['get_mail', ''])).toBeUndefined();
  });
});
