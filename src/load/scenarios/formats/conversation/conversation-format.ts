import { isRecord } from '../../../../shared/json.ts';
import { nearestName } from '../../../../shared/suggest.ts';
import type { ScenarioFormat } from '../../scenario-format.ts';

/** Distinctive keys: misspellings of them count too. */
const distinctiveKeys = [
  'userMessages',
  'maxMessages',
  'successCriteria',
  'failureCriteria',
  'failureCriteriaMode',
  'personaIds',
];
/** Keys that count only together with others. */
const commonKeys = ['connector', 'connectors', 'connectorId', 'persona', 'personas', 'messages', 'instructions'];
const otherKeys = [
  ...['$schema', 'id', 'name', 'description', 'evaluators', 'judge', 'model', 'models', 'repeat'],
  ...['tags', 'tier', 'timeoutSecs', 'dataset', 'ci', 'worker', 'createdAt', 'updatedAt', 'projectId'],
];
const knownKeys = new Set([...distinctiveKeys, ...commonKeys, ...otherKeys]);

/** Whether data looks like a conversation or a list of them, possibly with misspelt keys. */
export function looksLikeConversations(value: unknown): boolean {
  if (!Array.isArray(value)) return looksLikeConversation(value);
  const items: readonly unknown[] = value;
  if (!items.every((item) => isRecord(item) && !('call' in item))) return false;
  // The rows of a dataset may have names and messages too, but no criteria.
  return items.some((item) => looksLikeConversation(item) && isJudged(item));
}

function looksLikeConversation(value: unknown): boolean {
  if (!isRecord(value) || 'call' in value) return false;
  const keys = Object.keys(value);
  const distinctive = count(keys, distinctiveKeys);
  const common = count(keys, commonKeys);
  const hasName = 'name' in value;
  if (distinctive > 0 && (hasName || distinctive + common > 1)) return true;
  const isMentioned = common > 1 || (common === 1 && Array.isArray(value.evaluators));
  if (isMentioned && (hasName || 'connector' in value)) return true;
  const unknown = keys.filter((key) => !knownKeys.has(key));
  const misspelt = unknown.filter((key) => nearestName(key, distinctiveKeys) !== undefined);
  if (misspelt.length > 0 && hasName) return common > 0 || misspelt.length === unknown.length;
  // A dataset and evaluators alone are as likely those of a tool whose `call` is missing.
  const hasEvaluators = Array.isArray(value.evaluators) && !('dataset' in value);
  return hasName && unknown.length === 0 && (common === 1 || hasEvaluators);
}

function isJudged(item: unknown): boolean {
  return isRecord(item) && (count(Object.keys(item), distinctiveKeys) > 0 || Array.isArray(item.evaluators));
}

function count(keys: readonly string[], wanted: readonly string[]): number {
  return keys.filter((key) => wanted.includes(key)).length;
}

/** Conversations with an agent behind a connector: one scenario, or a list of them. */
export const conversationFormat = {
  name: 'conversation',
  recognises: looksLikeConversations,
  async readAll(source, context) {
    // Loaded when needed: most projects have no such file.
    const { readConversations } = await import('./read-conversation.ts');
    return readConversations(source, context);
  },
} satisfies ScenarioFormat;
