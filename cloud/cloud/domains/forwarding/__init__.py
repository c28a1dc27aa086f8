"""The delivery ledgers of gateways: what other targets than the cloud took and refused."""
