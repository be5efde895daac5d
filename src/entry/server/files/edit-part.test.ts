import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSource } from '../../../load/sources/source-file.ts';
import { repetitions } from '../../../testing/support/repetitions.ts';
import { editValue } from './edit-part.ts';

const yaml = `# The shop's evaluations
scenarios: [scenarios,more]   # two folders

# Who talks
personas:
    # hurried
    ann:
        goal: "buy"   # quickly
        systemPrompt: >
          You are in a hurry
          and say little.
    # patient
    bob: {goal: look around}   # for an hour
    # no others

# What it costs
models:
  prices: {}
# the end`;

function change(text: string, name: string, value: unknown, file = 'assay.config.yaml'): Promise<string> {
  return editValue(file, text, ['personas', name], value);
}

describe('changing one part of a YAML config', () => {
  it('changes the value that differs and no other character', async () => {
    const ann = { goal: 'sell', systemPrompt: 'You are in a hurry and say little.\n' };
    expect(await change(yaml, 'ann', ann)).toBe(yaml.replace('"buy"', '"sell"'));
    expect(await change(yaml, 'bob', { goal: 'stay' })).toBe(yaml.replace('look around', 'stay'));
  });

  it('adds a part behind the last', async () => {
    expect(await change(yaml, 'cyd', { goal: 'return' })).toBe(
      yaml.replace('# for an hour\n', '# for an hour\n    cyd:\n      goal: return\n'),
    );
  });

  it('takes a part away', async () => {
    expect(await change(yaml, 'bob', undefined)).toBe(yaml.replace(/ {4}bob: .*\n/, ''));
    const both = await change(await change(yaml, 'bob', undefined), 'ann', undefined);
    expect((await parseSource('a.yaml', both)).value).toMatchObject({ personas: {} });
    expect(both.match(/#.*/g)).toEqual(yaml.match(/#.*/g)?.filter((comment) => !/quickly|hour/.test(comment)));
  });

  it.each([
    ['', 'personas:\n  ann:\n    goal: x\n'],
    ['# only a comment', '# only a comment\npersonas:\n  ann:\n    goal: x\n'],
    ['store: sqlite:x', 'store: sqlite:x\npersonas:\n  ann:\n    goal: x\n'],
    ['personas:\nstore: x\n', 'personas:\n  ann:\n    goal: x\nstore: x\n'],
    ['personas: {}\nstore: x\n', 'personas: { ann: { goal: x } }\nstore: x\n'],
    ['a: 1\r\n# c\r\n', 'a: 1\r\n# c\r\npersonas:\r\n  ann:\r\n    goal: x\r\n'],
  ])('makes the section where it is missing: %j', async (before, after) => {
    expect(await change(before, 'ann', { goal: 'x' })).toBe(after);
  });

  it('gets along with anchors, aliases and merge keys', async () => {
    const text =
      'x: &base { goal: y, model: m }\npersonas:\n  ann: *base\n  bob: { <<: *base, goal: z }\n  cyd: { goal: w }\n';
    for (const name of ['ann', 'bob', 'cyd', 'dan']) {
      const edited = await change(text, name, { goal: 'new' });
      expect((await parseSource('a.yaml', edited)).value).toMatchObject({ personas: { [name]: { goal: 'new' } } });
      expect(edited).toContain('&base');
    }
  });

  it('says afterwards what it should, and keeps every comment', async () => {
    const text = fc.oneof(
      fc.string({ maxLength: 20, unit: 'binary' }),
      fc.constantFrom(
        'a: b',
        '# x',
        '- y',
        'two\nlines\n',
        '!!x',
        'null',
        '1e3',
        '"q"',
        "it's",
        ' lead',
        'trail ',
        '\t',
        '…',
        '${X}',
      ),
    );
    const value = fc.dictionary(fc.constantFrom('goal', 'model', 'systemPrompt', 'description'), text, { maxKeys: 3 });
    const name = fc.oneof(
      fc.constantFrom('ann', 'bob'),
      text.filter((each) => each !== '__proto__' && each !== ''),
    );
    await fc.assert(
      fc.asyncProperty(name, value, async (part, wanted) => {
        const edited = await change(yaml, part, wanted).catch((error: Error) => error);
        // A NUL or a lone half of a character cannot stand in a file.
        if (edited instanceof Error) {
          expect(edited.message).toContain('cannot be changed');
          return;
        }
        const { value: read } = await parseSource('a.yaml', edited);
        expect((read as { personas: object }).personas).toMatchObject({ [part]: wanted });
        for (const comment of yaml.match(/# .*/g) ?? []) {
          if (comment !== '# quickly' || part !== 'ann' || 'goal' in wanted) expect(edited).toContain(comment);
        }
      }),
      { numRuns: repetitions({ usual: 30, inFull: 150 }), seed: 8 },
    );
  });
});

describe('changing one part of a JSON config', () => {
  const json = `{
    // who talks
    "personas": {
        "ann": { "goal": "buy" /* quickly */, "messages": ["a"] },
    },
    "store": "x" // where
}
`;

  it('changes nothing else', async () => {
    const file = 'assay.config.jsonc';
    expect(await change(json, 'ann', { goal: 'sell', messages: ['a'] }, file)).toBe(json.replace('"buy"', '"sell"'));
    const added = await change(json, 'bob', { goal: 'look' }, file);
    expect(added).toContain('// who talks');
    expect((await parseSource(file, added)).value).toEqual({
      personas: { ann: { goal: 'buy', messages: ['a'] }, bob: { goal: 'look' } },
      store: 'x',
    });
    expect((await parseSource(file, await change(added, 'ann', undefined, file))).value).toMatchObject({
      personas: { bob: { goal: 'look' } },
    });
  });

  it('makes what is missing', async () => {
    expect(JSON.parse(await change('', 'ann', { goal: 'x' }, 'assay.config.json'))).toEqual({
      personas: { ann: { goal: 'x' } },
    });
  });
});
