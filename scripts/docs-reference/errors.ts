import type { FaultSource } from '../../src/domain/error-codes/error-kind.ts';
import { errorTable } from '../../src/domain/errors.ts';
import { code, page, section, sentence, table } from './markdown.ts';

const sources: Readonly<Record<FaultSource, string>> = {
  user: 'the request, a scenario file or the config',
  target: 'the tool or endpoint under test',
  agent: 'the agent that drives the tool',
  model: 'the provider of a model',
  judge: 'the judge model',
  store: 'the store of runs',
  engine: 'Assay itself',
};

/** Every error code: what happened, where the fault lies, the exit code, and what to do. */
export function errorsPage(): string {
  return page(
    'Error codes',
    'A trial that could not be judged ends as an error with one of these codes. So does a command that could not do its work. An error is never a pass and never a fail. [What a verdict rests on](../guides/what-a-verdict-rests-on.md) explains those about observations.',
    section(
      2,
      'Sources',
      'JSON documents have the source under the key `blame`.',
      table(
        ['source', 'where the fault lies'],
        Object.entries(sources).map(([source, meaning]) => [code(source), sentence(meaning)]),
      ),
    ),
    section(
      2,
      'Codes',
      ...Object.entries(errorTable).map(([name, { meaning, blame, exitCode, hint }]) =>
        section(3, code(name), sentence(meaning), `Source: ${blame}. Exit code: ${exitCode}. ${sentence(hint)}`),
      ),
    ),
  );
}
