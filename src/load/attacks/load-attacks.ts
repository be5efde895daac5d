import { resolve } from 'node:path';
import { type AttackChoice, attackSuiteSchema, type PlannedAttack } from '../../domain/attacks/attack-suite.ts';
import { AssayError, formatPosition } from '../../domain/errors.ts';
import { ProblemsError } from '../../domain/problem.ts';
import { suggestion } from '../../shared/suggest.ts';
import { problemsOf } from '../sources/schema-problems.ts';
import { readSource } from '../sources/source-file.ts';
import { bundledSuites } from './bundled-suites.ts';

/** The chosen attacks, each in each of its places, and the files that they were read from. */
export interface LoadedAttacks {
  readonly attacks: readonly PlannedAttack[];
  /** Absolute. */
  readonly files: readonly string[];
}

/** Reads the chosen attacks; everything wrong in a file is thrown with its position. */
export async function loadAttacks({ suites, names, places }: AttackChoice, folder: string): Promise<LoadedAttacks> {
  const wanted = suites.length > 0 ? suites : bundledSuites.map(({ suite }) => suite);
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

async function attacksOf(suite: string, folder: string): Promise<LoadedAttacks> {
  const bundled = bundledSuites.find((each) => each.suite === suite);
  if (bundled) return { attacks: inPlaces(bundled, (name) => `${suite}: ${name}`), files: [] };
  if (!/[./\\]/.test(suite)) {
    const names = bundledSuites.map((each) => each.suite);
    throw new AssayError('USAGE', `There is no bundled attack suite "${suite}".`, { hint: suggestion(suite, names) });
  }
  const source = await readSource(suite, folder);
  const parsed = attackSuiteSchema.safeParse(source.value);
  if (!parsed.success) throw new ProblemsError(problemsOf(parsed.error, source, attackSuiteSchema));
  const at = (name: string): string => formatPosition(source.locate(['attacks', name]));
  return { attacks: inPlaces(parsed.data, at), files: [resolve(folder, suite)] };
}

function inPlaces(
  { suite, version, attacks }: (typeof bundledSuites)[number],
  ruleOf: (name: string) => string,
): PlannedAttack[] {
  return Object.entries(attacks).flatMap(([name, attack]) =>
    attack.places.map((place) => ({ name, suite, version, attack, place, rule: ruleOf(name) })),
  );
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
