declare const passed: unique symbol;

/**
 * A text that may leave: be stored, cached, taped, bundled, reported, logged or sent. Only the modules of this folder make
 * one, so a text that was not redacted does not compile where it would leave.
 */
export type Redacted = string & { readonly [passed]: 'redaction' };

/** The same for bytes. */
export type RedactedBytes = Uint8Array & { readonly [passed]: 'redaction' };

/** For the modules of this folder alone. */
export function asRedacted(text: string): Redacted {
  return text as Redacted;
}

/** Literal words of the program around texts that may leave, and numbers. */
export function redactedText(words: TemplateStringsArray, ...parts: readonly (Redacted | number)[]): Redacted {
  return asRedacted(String.raw({ raw: words }, ...parts));
}

/** A text made of records and traces of the store: they were redacted before they were stored. */
export function storedText(text: string): Redacted {
  return asRedacted(text);
}

/** A file that users have written or ordered, in its own place: without its values it would not be theirs. */
export function usersText(text: string): Redacted {
  return asRedacted(text);
}
