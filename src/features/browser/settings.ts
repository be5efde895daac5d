import type { BrowserSettings } from '../../domain/browser.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { isRecord } from '../../shared/json.ts';

/** The browser of a scenario, checked when it was loaded; undefined where it has none. */
export function settingsOf({ target }: Scenario): BrowserSettings | undefined {
  return isRecord(target.config) ? (target.config.browser as BrowserSettings | undefined) : undefined;
}
