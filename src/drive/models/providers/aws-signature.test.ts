import { expect, it } from 'vitest';
import { signedHeaders } from './aws-signature.ts';

it('signs the published example of AWS as published', () => {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
  const request = { method: 'GET', url: new URL('https://example.amazonaws.com/'), headers: {}, body: '' };
  const scope = { region: 'us-east-1', service: 'service', now: new Date('2015-08-30T12:36:00Z') };
  expect(signedHeaders(request, credentials, scope)).toEqual({
    'x-amz-date': '20150830T123600Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  });
});
