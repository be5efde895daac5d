/** Ways in which the authorization server and its MCP server can go wrong, each off by default. */
export interface OAuthSwitches {
  /** The header of a refusal names no metadata. */
  quietChallenge?: boolean;
  /** A key is wanted and OAuth is not offered: no metadata anywhere. */
  noMetadata?: boolean;
  /** The resource has no metadata, as before RFC 9728. */
  noResourceMetadata?: boolean;
  /** The metadata of the resource are about another one. */
  otherResource?: boolean;
  noAuthorizationServers?: boolean;
  /** The metadata of the authorization server are found only by the rules of OpenID Connect. */
  openIdOnly?: 'inserted' | 'appended';
  /** The metadata name another issuer. */
  otherIssuer?: boolean;
  /** The token endpoint is an http address on another machine. */
  insecureTokenEndpoint?: boolean;
  /** The address of the login page, where it is a script, or on another machine without TLS. */
  loginPage?: string;
  /** All metadata are said to be elsewhere. */
  metadataMovedTo?: string;
  metadataNotJson?: boolean;
  noPkceMetadata?: boolean;
  noRegistration?: boolean;
  refusesRegistration?: boolean;
  takesMetadataDocuments?: boolean;
  /** Answers of the authorization endpoint. */
  otherState?: boolean;
  otherIss?: boolean;
  missingIss?: boolean;
  denies?: boolean;
  /** The user has to do something in a page. */
  showsPage?: boolean;
  /** Answers of the token endpoint. */
  tokenType?: string;
  tokenRedirects?: boolean;
  tokenPage?: boolean;
  /** Neither endpoint has time for further requests, after so many. */
  overloadedAfter?: number;
  expiresInSeconds?: number;
  noRefreshTokens?: boolean;
  /** Mistakes that a suite must find. */
  ignoresVerifier?: boolean;
  takesCodesTwice?: boolean;
  ignoresResource?: boolean;
  redirectsAnywhere?: boolean;
  dropsState?: boolean;
  grantsMoreScopes?: boolean;
  takesAnyAudience?: boolean;
  takesExpired?: boolean;
  takesRevoked?: boolean;
  takesAnyToken?: boolean;
  /** Every token is refused. */
  refusesTokens?: boolean;
}
