import { AssayError } from '../../../../domain/errors.ts';
import { type SuiteInput, suiteInputSchema } from '../../../../domain/suite-input.ts';

/** The suite of a case; one that cannot be run is an error of whoever wrote it. */
export function readSuiteInput(value: unknown): SuiteInput {
  const parsed = suiteInputSchema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
    throw new AssayError('FILE_INVALID', `The suite cannot be read: ${problems.join('; ')}`);
  }
  if (parsed.data.kind !== 'oauth2') return parsed.data;
  throw new AssayError(
    'CRITERION_UNUSABLE',
    `OAuth suites are not supported yet: "${parsed.data.suite.name}" was not run.`,
    {
      hint: 'Take the suite out; everything else in the file is run.',
    },
  );
}
