import { stringify } from 'yaml';

/** A good file that has been spoilt in one place. */
export interface MutatedFile {
  readonly file: string;
  readonly text: string;
  /** Name of the change. */
  readonly change: string;
  /** `either` where a change of the text may leave a right file behind. */
  readonly expected: 'broken' | 'right' | 'either';
}

type Path = readonly (string | number)[];

/** A scenario that uses every key but those that exclude each other. */
const goodScenario = {
  name: 'Search',
  description: 'finds orders',
  tags: ['smoke'],
  tier: 1,
  call: { module: './tool.mjs', export: 'search' },
  cases: [
    {
      name: 'first',
      input: { customer: 'ada' },
      expected: 2,
      expectedBehavior: 'finds both',
      passCriteria: ['result.count === 2'],
      failCriteria: ['error !== undefined'],
    },
    { name: 'second', input: {}, passCriteria: ['result.count === 2'] },
  ],
  passCriteria: ['result.count > 0'],
  failCriteria: ['result.count < 0'],
  evaluators: [
    { type: 'latency-budget', config: { maxMs: 1000 } },
    { type: 'measure', config: { name: 'found', expression: 'result.count' } },
  ],
  repeat: 2,
  timeoutSecs: 5,
};

/** Keys that may be left out: the scenario stays right without them. */
const optional =
  /^(description|tags|tags\.0|tier|call\.export|cases\.\d|cases\.\d\.(name|expected|expectedBehavior|passCriteria|failCriteria)(\.0)?|cases\.0\.input\.customer|passCriteria|failCriteria|passCriteria\.0|failCriteria\.0|evaluators|evaluators\.\d|repeat|timeoutSecs)$/;
/** Places that hold data of the user's own, which may be anything. */
const anything = /^cases\.\d\.(input(\.\w+)?|expected)$/;

/** Every key and item deleted, misspelt or replaced by a value of another type, one at a time. */
export function structuralMutations(extension: '.yaml' | '.json'): MutatedFile[] {
  const write = extension === '.json' ? (data: unknown) => JSON.stringify(data, null, 2) : stringify;
  const files = pathsOf(goodScenario).flatMap((path): Omit<MutatedFile, 'file'>[] => {
    const at = path.join('.');
    const isKey = typeof path.at(-1) === 'string';
    return [
      {
        change: `delete ${at}`,
        text: write(changed(path, 'delete')),
        expected: optional.test(at) ? 'right' : 'broken',
      },
      ...(isKey
        ? [
            {
              change: `misspell ${at}`,
              text: write(changed(path, 'misspell')),
              expected: at === 'cases.0.input.customer' ? 'right' : 'broken',
            } as const,
          ]
        : []),
      ...otherTypes(path).map((value) => ({
        change: `${at} = ${JSON.stringify(value)}`,
        text: write(changed(path, { value })),
        expected: anything.test(at) ? ('right' as const) : ('broken' as const),
      })),
    ];
  });
  return files.map((file, index) => ({ ...file, file: `structure-${index}${extension}` }));
}

/** The text cut off at many places, and characters put where they do not belong. */
export function textualMutations(extension: '.yaml' | '.json'): MutatedFile[] {
  const text = extension === '.json' ? JSON.stringify(goodScenario, null, 2) : stringify(goodScenario);
  const offsets = Array.from({ length: 60 }, (_, index) => 1 + Math.floor((index * (text.length - 2)) / 60));
  const cut = offsets.map((offset) => ({
    change: `cut at ${offset}`,
    text: text.slice(0, offset),
    expected: extension === '.json' ? ('broken' as const) : ('either' as const),
  }));
  const inserted = ['"', '{', ']', '\t', '*x ', '%', '\n', '\\'].flatMap((piece) =>
    offsets
      .filter((_, index) => index % 4 === 0)
      .map((offset) => ({
        change: `${JSON.stringify(piece)} at ${offset}`,
        text: text.slice(0, offset) + piece + text.slice(offset),
        expected: 'either' as const,
      })),
  );
  return [...cut, ...inserted].map((file, index) => ({ ...file, file: `text-${index}${extension}` }));
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const inside = [...path, Array.isArray(value) ? Number(key) : key];
    return [inside, ...pathsOf(part, inside)];
  });
}

function valueAt(path: Path): unknown {
  return path.reduce<unknown>((part, step) => (part as Record<string | number, unknown>)[step], goodScenario);
}

/** Values of other types than the one at the path; `null` is one of them. */
function otherTypes(path: Path): unknown[] {
  const value = valueAt(path);
  const samples = [7, 'words', true, ['words'], { key: 'words' }, null];
  return samples.filter((sample) => kindOf(sample) !== kindOf(value));
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
}

function changed(path: Path, change: 'delete' | 'misspell' | { readonly value: unknown }): unknown {
  const copy = structuredClone(goodScenario) as unknown;
  const last = path.at(-1) ?? '';
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((part, step) => (part as Record<string | number, unknown>)[step], copy);
  const holder = parent as Record<string | number, unknown>;
  if (change === 'delete') {
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else delete holder[last];
  } else if (change === 'misspell') {
    holder[swapped(String(last))] = holder[last];
    delete holder[last];
  } else holder[last] = change.value;
  return copy;
}

function swapped(key: string): string {
  return `${key.slice(0, 1)}${key[2] ?? ''}${key[1] ?? ''}${key.slice(3)}`;
}
