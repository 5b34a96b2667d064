"""Bradley-Terry: strengths from battles, with exact scores without each battle or group."""
