import { type AttackSuite, attackClasses, attackPlaces, goalKind } from '../../src/domain/attacks/attack-suite.ts';
import { bundledSuites } from '../../src/load/attacks/load-attacks.ts';
import { attackSuiteKeys } from './files.ts';
import { code, codes, page, section, sentence, table } from './markdown.ts';

const goals = { call: 'a tool is called', leak: 'a secret leaves', change: 'a file changes' } as const;

/** Every bundled attack, the classes and places of attacks, and the keys of own suites. */
export async function attacksPage(): Promise<string> {
  return page(
    'Attack suites',
    "The attacks of `assay attack`. How they are used is explained in [Attack your agent's tools](../tutorial/attack-tools.md).",
    section(2, 'Places', meanings('place', attackPlaces)),
    section(2, 'Classes', meanings('class', attackClasses)),
    ...(await bundledSuites()).map(({ suite, version, description = '', attacks }) =>
      section(
        2,
        `Bundled suite ${code(suite)}, version ${version}`,
        sentence(description),
        table(
          ['attack', 'class', 'succeeds when', 'places', 'instruction'],
          Object.entries(attacks).map(([name, attack]) => [
            code(name),
            attack.class,
            goals[goalKind(attack.goal)],
            codes(attack.places),
            instruction(attack),
          ]),
        ),
      ),
    ),
    attackSuiteKeys(),
  );
}

function meanings(name: string, texts: Readonly<Record<string, string>>): string {
  return table(
    [name, 'meaning'],
    Object.entries(texts).map(([key, text]) => [code(key), sentence(text)]),
  );
}

function instruction({ text, encoding, carrier }: AttackSuite['attacks'][string]): string {
  const written = code(text.replaceAll('\n', ' '));
  return carrier === undefined ? written : `${written} in ${encoding}, within ${code(carrier)}`;
}
