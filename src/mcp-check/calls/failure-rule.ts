import { otherContentType } from '../../drive/mcp/wire/checked-fetch.ts';
import { protocolRules } from '../protocol/protocol-rules.ts';
import type { RuleText } from '../rule.ts';
import { behaviours } from './behaviours.ts';

/** The rule that a server broke whose request failed for good. */
export function ruleOfFailure(message: string): RuleText {
  return message.includes(otherContentType) ? protocolRules.contentTypeWrong : behaviours.serverFailed;
}
