-- What a slave refused to be asked in one request, for one configuration of it.
CREATE TABLE plan (
    slave TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    refused TEXT NOT NULL  -- JSON: points and the device's code
) STRICT, WITHOUT ROWID;
