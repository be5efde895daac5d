import type { Problem } from '../../../../domain/problem.ts';
import type { ConversationConfig } from '../../../../drive/targets/conversation/conversation-config.ts';
import { isRecord } from '../../../../shared/json.ts';
import { nearestName } from '../../../../shared/suggest.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';
import type { NamedConnector } from './connector-section.ts';
import type { Reading } from './reading.ts';

/** What the target itself finds wrong, at the places of the file. */
export function refusedByTarget(
  config: ConversationConfig,
  connectors: readonly NamedConnector[],
  { source, context }: Reading,
): Problem[] {
  const kind = context.parts.targets.find(({ type }) => type === 'conversation');
  const issues = kind?.check?.(config, { directory: context.directory }) ?? [];
  return issues.map(({ path, message }) => {
    const connector = path[0] === 'connectors' ? connectors.find(({ name }) => name === path[1]) : undefined;
    const at = connector ? connector.source.locate([...connector.path, ...path.slice(2)]) : source.locate(path);
    return { at, message };
  });
}

/** A scenario that nothing judges would always pass. */
export function unjudged(source: ParsedSource): Problem {
  const keys = ['evaluators', 'successCriteria', 'failureCriteria'];
  const written = isRecord(source.value) ? Object.keys(source.value) : [];
  const slip = written.find((key) => !keys.includes(key) && nearestName(key, keys) !== undefined);
  if (slip !== undefined) {
    const hint = `Did you mean \`${nearestName(slip, keys)}\`?`;
    return { at: source.locateKey([], slip), message: `unknown key \`${slip}\``, hint };
  }
  return { at: source.locate([]), message: 'Scenario must have success/failure criteria or evaluators defined' };
}

/** Criteria that would be passed over in silence. */
export function criteriaOfCalls(source: ParsedSource): Problem[] {
  const value = isRecord(source.value) ? source.value : {};
  return ['passCriteria', 'failCriteria', 'cases']
    .filter((key) => key in value)
    .map((key) => ({
      at: source.locateKey([], key),
      message: `\`${key}\` means nothing in a conversation`,
      hint: key === 'cases' ? 'Use a `dataset`.' : 'Use `evaluators`, `successCriteria` or `failureCriteria`.',
    }));
}
