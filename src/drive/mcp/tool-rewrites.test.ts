import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asAssayError } from '../../domain/errors.ts';
import {
  ownToolName,
  rewriteTool,
  rewriteTools,
  shownToolName,
  type ToolRewrites,
  toolRewritesSchema,
} from './tool-rewrites.ts';

const tools = [
  {
    name: 'search',
    description: 'Searches',
    inputSchema: { type: 'object', properties: { q: { type: 'string' }, any: true }, required: ['q'] },
    annotations: { readOnlyHint: true },
  },
  { name: 'save', inputSchema: { type: 'object' } },
];

function failure(rewrites: ToolRewrites) {
  try {
    rewriteTools(tools, rewrites);
  } catch (error) {
    const { code, message, hint } = asAssayError(error);
    return { code, message, hint };
  }
  return undefined;
}

describe('another wording of tools', () => {
  it('changes what it names and nothing else', () => {
    const rewrites = {
      search: { name: 'find', title: 'Find', description: 'Finds', arguments: { q: 'What', any: 'More' } },
    };
    expect(rewriteTools(tools, rewrites)).toEqual([
      {
        name: 'find',
        title: 'Find',
        description: 'Finds',
        inputSchema: {
          type: 'object',
          properties: { q: { type: 'string', description: 'What' }, any: { description: 'More' } },
          required: ['q'],
        },
        annotations: { readOnlyHint: true },
      },
      tools[1],
    ]);
    expect(tools[0]?.description).toBe('Searches');
  });

  it('leads every new name back to its tool', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const renames = fc.uniqueArray(fc.tuple(name, name), { selector: ([own]) => own });
    fc.assert(
      fc.property(renames, (pairs) => {
        const rewrites = Object.fromEntries(pairs.map(([own, shown]) => [own, { name: shown }]));
        const all = ['a', 'b', 'c', 'd', 'e'];
        const visibleNames = all.map((own) => shownToolName(own, rewrites));
        fc.pre(new Set(visibleNames).size === all.length);
        expect(visibleNames.map((each) => ownToolName(each, rewrites))).toEqual(all);
      }),
      { seed: 5 },
    );
  });

  it('a name that was taken away leads nowhere, an unknown one stays what it is', () => {
    const rewrites = { search: { name: 'find' } };
    expect(ownToolName('find', rewrites)).toBe('search');
    expect(ownToolName('search', rewrites)).toBeUndefined();
    expect(ownToolName('other', rewrites)).toBe('other');
    expect(ownToolName('toString', rewrites)).toBe('toString');
  });

  it('two tools can swap their names', () => {
    const rewrites = { search: { name: 'save' }, save: { name: 'search' } };
    expect(rewriteTools(tools, rewrites).map(({ name }) => name)).toEqual(['save', 'search']);
    expect([ownToolName('save', rewrites), ownToolName('search', rewrites)]).toEqual(['search', 'save']);
  });

  it.each([
    ['a tool that is not there', { serch: {} }, /the tool "serch"/, 'Did you mean `search`?'],
    ['an argument that is not there', { search: { arguments: { qq: 'x' } } }, /the argument "qq"/, 'Did you mean `q`?'],
    [
      'an argument of a tool without any',
      { save: { arguments: { q: 'x' } } },
      /the argument "q"/,
      'Remove it from the wording.',
    ],
    ['a name that another tool has', { search: { name: 'save' } }, /two tools have the name "save"/, /its own name/],
  ])('%s is refused', (_name, rewrites, message, hint) => {
    expect(failure(rewrites)).toMatchObject({ code: 'FILE_INVALID', message: expect.stringMatching(message) });
    expect(failure(rewrites)?.hint).toMatch(hint instanceof RegExp ? hint : new RegExp(hint.replace('?', '\\?')));
  });

  it('what the server itself calls the same is not the fault of a wording', () => {
    const twins = [...tools, ...tools];
    expect(rewriteTools(twins, { save: { description: 'Saves' } })).toHaveLength(4);
  });

  it('is checked where it is written', () => {
    const messages = (written: unknown) =>
      toolRewritesSchema()
        .safeParse(written)
        .error?.issues.map(({ message }) => message);
    expect(messages({ a: { name: 'x' }, b: { name: 'x' } })).toEqual(['two tools have the name `x`']);
    expect(messages({ a: { name: 'with space' } })).toHaveLength(1);
    expect(messages({ a: { descripton: 'x' } })).toHaveLength(1);
    expect(messages({ a: { name: 'b.c-d_e', arguments: { x: 'text' } } })).toBeUndefined();
  });

  it('one tool can be worded without the others, as in a page of a list', () => {
    expect(rewriteTool({ name: 'save' }, { save: { name: 'keep' }, gone: { name: 'x' } })).toEqual({ name: 'keep' });
  });
});
