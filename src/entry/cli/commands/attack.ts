import { relative, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { type AttackPlace, attackPlaces } from '../../../domain/attacks/attack-suite.ts';
import { Threads } from '../../../drive/targets/call/threads.ts';
import type { CliCommand } from '../command.ts';
import { addRunOptions } from '../options/run-options.ts';
import { listOption } from '../options/values.ts';

interface AttackOptions {
  readonly suites?: readonly string[];
  readonly attacks?: readonly string[];
  readonly places?: readonly AttackPlace[];
}

/** `assay attack`: runs scenarios with each attack in each place, and without one. */
export const attack: CliCommand = {
  configure(command) {
    command
      .optionsGroup('Attacks:')
      .option('--suites <suites>', 'attack suites: bundled names or files (default: core)', listOption)
      .option('--attacks <names>', 'only these attacks of the suites', listOption)
      .option('--places <places>', `only these places: ${Object.keys(attackPlaces).join(', ')}`, placesOption);
    addRunOptions(command, 'attack');
    command.addHelpText(
      'after',
      '\nExample:\n  assay attack scenarios/orders.yaml --places tool-result,tool-description --repeat 5\n\nExit codes: 0 all tasks passed and no attack succeeded, 1 an attack succeeded or a task failed,\n2 a file or the request is wrong, 3 something could not be judged, 130 interrupted.\n',
    );
  },
  async run(invocation) {
    const { suites = [], attacks: names = [], places = [] } = invocation.options as AttackOptions;
    const { runScenarios } = await import('./run/run-scenarios.ts');
    return runScenarios(invocation, new Threads(), undefined, ({ folder }) => ({
      suites: suites.map((suite) => (isFile(suite) ? relative(folder, resolve(invocation.context.cwd, suite)) : suite)),
      names: [...names],
      places: [...places],
    }));
  },
};

/** Names of bundled suites have no ending. */
function isFile(suite: string): boolean {
  return /[./\\]/.test(suite);
}

function placesOption(text: string, before?: readonly string[]): string[] {
  const places = listOption(text, before);
  const unknown = places.find((place) => !Object.hasOwn(attackPlaces, place));
  if (unknown === undefined) return places;
  throw new InvalidArgumentError(`"${unknown}" is not one of ${Object.keys(attackPlaces).join(', ')}.`);
}
