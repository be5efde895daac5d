import { SpoolFull } from '../../compose/collect/collector.ts';
import { AssayError } from '../../domain/errors.ts';
import { MalformedExport } from '../../load/collect/read-export.ts';

/** Codes of `google.rpc.Status`, which stands in the body of a failed request. */
const rpcCodes: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  413: 3,
  415: 3,
  429: 8,
  503: 14,
};

/** A request that is not accepted. Clients send it again only after 429 and 503. */
export class OtlpRefusal extends Error {
  readonly status: number;
  readonly retryAfterSecs: number | undefined;

  constructor(status: number, message: string, retryAfterSecs?: number) {
    super(message);
    this.status = status;
    this.retryAfterSecs = retryAfterSecs;
  }

  get rpcCode(): number {
    return rpcCodes[this.status] ?? 13;
  }
}

const fullRetrySecs = 30;
const storeRetrySecs = 5;

/** Nothing was stored, whatever went wrong; spans that cannot be stored now are to be sent again. */
export function refusalOf(error: unknown): OtlpRefusal {
  if (error instanceof OtlpRefusal) return error;
  if (error instanceof MalformedExport) return new OtlpRefusal(400, error.message);
  if (error instanceof SpoolFull) {
    return new OtlpRefusal(503, 'The space for incomplete traces is used up.', fullRetrySecs);
  }
  const isForSender = error instanceof AssayError && (error.code === 'SPOOL_BUSY' || error.code === 'CONFIG_INVALID');
  const message = isForSender ? error.message : 'The spans could not be stored.';
  return new OtlpRefusal(503, message, storeRetrySecs);
}
