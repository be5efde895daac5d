import { variantText } from '../../../../src/report/presentation/trial-text.ts';
import { isRecord } from '../../../../src/shared/json.ts';

/** A variant of the address in words; what is no variant stays as it is. */
export function variantLabel(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    const isVariant = isRecord(value) && Object.values(value).every((part) => typeof part === 'string');
    return isVariant ? variantText(value) || 'called directly' : json;
  } catch {
    return json;
  }
}
