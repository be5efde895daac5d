import { resolve } from 'node:path';
import {
  type AttackChoice,
  type AttackSuite,
  attackSuiteSchema,
  type PlannedAttack,
} from '../../domain/attacks/attack-suite.ts';
import { AssayError, formatPosition } from '../../domain/errors.ts';
import { ProblemsError } from '../../domain/problem.ts';
import { suggestion } from '../../shared/suggest.ts';
import type { ParsedSource } from '../sources/parsed-source.ts';
import { problemsOf } from '../sources/schema-problems.ts';
import { parseSource, readSource } from '../sources/source-file.ts';
import core from './core.yaml?raw';

/** The suites of the program itself, written as those of users are. */
const bundled: Readonly<Record<string, string>> = { core };

/** Every suite of the program itself. */
export function bundledSuites(): Promise<AttackSuite[]> {
  return Promise.all(Object.keys(bundled).map(async (name) => (await readSuite(name, '')).suite));
}

/** The chosen attacks, each in each of its places, and the files that they were read from. */
export interface LoadedAttacks {
  readonly attacks: readonly PlannedAttack[];
  /** Absolute. */
  readonly files: readonly string[];
}

/** Reads the chosen attacks; everything wrong in a file is thrown with its position. */
export async function loadAttacks({ suites, names, places }: AttackChoice, folder: string): Promise<LoadedAttacks> {
  const wanted = suites.length > 0 ? suites : Object.keys(bundled);
  const read = await Promise.all(wanted.map((suite) => attacksOf(suite, folder)));
  const all = read.flatMap(({ attacks }) => attacks);
  assertKnown(names, all);
  assertUnique(all);
  const attacks = all.filter(
    ({ name, place }) =>
      (names.length === 0 || names.includes(name)) && (places.length === 0 || places.includes(place)),
  );
  return { attacks, files: read.flatMap(({ files }) => files) };
}

async function attacksOf(name: string, folder: string): Promise<LoadedAttacks> {
  const { suite, source } = await readSuite(name, folder);
  const isBundled = name in bundled;
  const ruleOf = (attack: string): string =>
    isBundled ? `${name}: ${attack}` : formatPosition(source.locate(['attacks', attack]));
  const attacks = Object.entries(suite.attacks).flatMap(([attackName, attack]) =>
    attack.places.map(
      (place): PlannedAttack => ({
        ...{ name: attackName, suite: suite.suite, version: suite.version },
        ...{ attack, place, rule: ruleOf(attackName) },
      }),
    ),
  );
  return { attacks, files: isBundled ? [] : [resolve(folder, name)] };
}

async function readSuite(name: string, folder: string): Promise<{ suite: AttackSuite; source: ParsedSource }> {
  const text = bundled[name];
  if (text === undefined && !/[./\\]/.test(name)) {
    const hint = suggestion(name, Object.keys(bundled));
    throw new AssayError('USAGE', `There is no bundled attack suite "${name}".`, { hint });
  }
  const source = await (text === undefined ? readSource(name, folder) : parseSource(`${name}.yaml`, text));
  const parsed = attackSuiteSchema.safeParse(source.value);
  if (parsed.success) return { suite: parsed.data, source };
  throw new ProblemsError(problemsOf(parsed.error, source, attackSuiteSchema));
}

function assertKnown(names: readonly string[], attacks: readonly PlannedAttack[]): void {
  const available = [...new Set(attacks.map(({ name }) => name))];
  const unknown = names.find((name) => !available.includes(name));
  if (unknown === undefined) return;
  throw new AssayError('USAGE', `There is no attack "${unknown}".`, { hint: suggestion(unknown, available) });
}

/** Variants are named by attack and place. */
function assertUnique(attacks: readonly PlannedAttack[]): void {
  const suiteOf = new Map<string, string>();
  for (const { name, suite, rule } of attacks) {
    const first = suiteOf.get(name) ?? suite;
    if (first !== suite)
      throw new AssayError('USAGE', `The suites "${first}" and "${suite}" both have an attack "${name}" (${rule}).`);
    suiteOf.set(name, first);
  }
}
